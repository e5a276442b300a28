from typing import Dict, List, Tuple


def sensor_deltas(readings: List[Tuple[str, int, float]]) -> List[Tuple[str, int, float]]:
    """readings are (sensor, time, value) sorted by time; difference to the previous value of the same sensor"""
    last: Dict[str, float] = {}
    out: List[Tuple[str, int, float]] = []
    for sensor, time, value in readings:
        if sensor in last:
            out.append((sensor, time, value - last[sensor]))
        else:
            out.append((sensor, time, 0.0))
        last[sensor] = value
    return out
