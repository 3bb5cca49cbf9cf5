"""What `ambidex doctor` looks at: the installation, the engines it stands on, the project. Each yields findings."""
