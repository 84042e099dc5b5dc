"""The package's version; a release writes its own number here."""

__version__ = "0.0.0"
