"""What a teaching element leaves for readers without a kernel."""

__all__ = ["WithStill"]


class WithStill:
    """Mixin of a widget whose `still()` gives its twin for the page, as (data, metadata) by MIME type."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        """The live widget and, in the same output, its still twin."""
        bundle = super()._repr_mimebundle_(include=include, exclude=exclude)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        still, about = self.still()
        return {**data, **still}, {**metadata, **about}
