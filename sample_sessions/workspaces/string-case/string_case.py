"""Ways to write the same words."""


def headline(text):
    """Every word with a capital letter."""
    return text.strip().capitalize()


def shout(text):
    """Loud, with an exclamation mark."""
    return text.upper() + "!"


def quiet(text):
    """Nothing but small letters."""
    return text.lower()
