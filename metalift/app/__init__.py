"""What the command line offers beside `lift` and `check`: batches, scans, simulators, reports, the state of the machine."""
