"""`core pack`: build packs from tables or from public vocabularies, check them, look into them, change them."""

from cognition.pack_cli import bring as bring
from cognition.pack_cli import look as look
from cognition.pack_cli import make as make
from cognition.pack_cli.common import app as app
