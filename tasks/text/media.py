"""Names of media files, as infoboxes hold them: they are shown as a picture, not as words."""

from __future__ import annotations

import re

FILE_NAME = re.compile(r"[^;\n]+\.(?:svg|png|jpe?g|gif|tiff?|webp|ogg|ogv|oga|webm|mp[34])", re.IGNORECASE)
