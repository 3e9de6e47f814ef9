from string_case import headline, quiet, shout


def test_headline():
    assert headline("the first tape") == "The First Tape"
    assert headline(" once more ") == "Once More"


def test_shout():
    assert shout("stop") == "STOP!"


def test_quiet():
    assert quiet("Not So LOUD") == "not so loud"
