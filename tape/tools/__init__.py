"""Tools that a run may use, and where their results come from: a workspace, the recording, a person."""
