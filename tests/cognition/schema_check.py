"""The part of JSON Schema that pydantic writes for packs; a keyword it does not know is an error, not a pass."""

from __future__ import annotations

import re
from typing import Any

TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None),
}  # fmt: skip
SILENT = frozenset(("title", "description", "default", "$defs"))


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], path: str = "$") -> list[str]:
    """What is wrong with a value, by path."""
    found: list[str] = []
    for keyword, wanted in schema.items():
        if keyword in SILENT:
            continue
        if keyword == "$ref":
            found += faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, path)
        elif keyword == "anyOf":
            if all(faults(value, option, root, path) for option in wanted):
                found.append(f"{path}: no option fits")
        elif not _holds(keyword, wanted, value, schema):
            found.append(f"{path}: {keyword} {wanted!r}")
        elif keyword == "properties" and isinstance(value, dict):
            for name in wanted.keys() & value.keys():
                found += faults(value[name], wanted[name], root, f"{path}.{name}")
        elif keyword == "additionalProperties" and isinstance(wanted, dict) and isinstance(value, dict):
            for name in value.keys() - schema.get("properties", {}).keys():
                found += faults(value[name], wanted, root, f"{path}.{name}")
        elif keyword == "propertyNames" and isinstance(value, dict):
            for name in value:
                found += faults(name, wanted, root, f"{path}.{name}")
        elif keyword == "items" and isinstance(wanted, dict) and isinstance(value, list):
            for i, item in enumerate(value):
                found += faults(item, wanted, root, f"{path}[{i}]")
        elif keyword == "prefixItems" and isinstance(value, list):
            for i, (item, option) in enumerate(zip(value, wanted, strict=False)):
                found += faults(item, option, root, f"{path}[{i}]")
    return found


def _holds(keyword: str, wanted: Any, value: Any, schema: dict[str, Any]) -> bool:
    match keyword:
        case "type":
            return isinstance(value, TYPES[wanted]) and not (wanted == "integer" and isinstance(value, bool))
        case "enum":
            return value in wanted
        case "const":
            return value == wanted
        case "pattern":
            return not isinstance(value, str) or re.search(wanted, value) is not None
        case "minLength":
            return not isinstance(value, str) or len(value) >= wanted
        case "minItems":
            return not isinstance(value, list) or len(value) >= wanted
        case "maxItems":
            return not isinstance(value, list) or len(value) <= wanted
        case "minimum":
            return not isinstance(value, int) or value >= wanted
        case "maximum":
            return not isinstance(value, int) or value <= wanted
        case "exclusiveMinimum":
            return not isinstance(value, int) or value > wanted
        case "exclusiveMaximum":
            return not isinstance(value, int) or value < wanted
        case "required":
            return not isinstance(value, dict) or set(wanted) <= value.keys()
        case "additionalProperties":
            known = schema.get("properties", {}).keys()
            return wanted is not False or not isinstance(value, dict) or value.keys() <= known
        case "properties" | "items" | "prefixItems" | "propertyNames":
            return True
    raise NotImplementedError(f"schema keyword {keyword}")
