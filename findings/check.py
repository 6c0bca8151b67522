"""What the Python parts of the scripts of this folder share."""

import sys


def expect(what, seen, described):
    """Prints what was seen, and ends the program if the header of the script describes something else."""
    print(f"{what}: {seen}")
    if seen != described:
        sys.exit(f"the behaviour has changed; described: {described}")


def attempt(function):
    """Returns the result of the function, or the text "refused: " and the last line of its error."""
    try:
        return function()
    except Exception as error:
        return "refused: " + str(error).strip().split("\n")[-1]
