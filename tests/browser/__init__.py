"""What a person does in the page, done in Chromium against the real application."""
