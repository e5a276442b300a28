"""Finding a summary and a program: deriving, covering, testing."""
