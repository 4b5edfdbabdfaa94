"""Client of Latchkey Links: short links, slugs, bundles, analytics and QR codes."""

from . import models
from ._call import OMITTED, File, Omitted
from ._errors import LinksApiError, LinksError, LinksNetworkError, LinksTimeoutError
from ._generated.client import AsyncLinksClient, LinksClient
from ._generated.document import API_VERSION, DOCUMENT_SHA256
from ._paging import Page

__all__ = [
    "API_VERSION",
    "DOCUMENT_SHA256",
    "OMITTED",
    "AsyncLinksClient",
    "File",
    "LinksApiError",
    "LinksClient",
    "LinksError",
    "LinksNetworkError",
    "LinksTimeoutError",
    "Omitted",
    "Page",
    "models",
]
