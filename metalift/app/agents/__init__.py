"""The commands as tools of coding agents, by the Model Context Protocol."""
