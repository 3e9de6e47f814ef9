"""The sample sessions, their index, and the programs that write them."""
