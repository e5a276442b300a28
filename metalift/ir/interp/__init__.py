"""What expressions mean and fragments do: values, evaluation, runs."""
