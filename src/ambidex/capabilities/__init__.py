"""What handlers may use: each capability a protocol, and the back ends that come with Ambidex."""
