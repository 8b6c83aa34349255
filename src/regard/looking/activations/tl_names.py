"""Names that people know from TransformerLens, as ours: a courtesy, in one table."""

import re

NAMES = {
    "hook_embed": "{side}.embedding",
    "blocks.{n}.hook_resid_pre": "{side}.{n}.stream.before",
    "blocks.{n}.hook_resid_mid": "{side}.{n}.stream.middle",
    "blocks.{n}.hook_resid_mid_cross": "{side}.{n}.stream.after_cross",
    "blocks.{n}.hook_resid_post": "{side}.{n}.stream.after",
    "blocks.{n}.attn.hook_q": "{side}.{n}.self.query",
    "blocks.{n}.attn.hook_k": "{side}.{n}.self.key",
    "blocks.{n}.attn.hook_v": "{side}.{n}.self.value",
    "blocks.{n}.attn.hook_rot_q": "{side}.{n}.self.query",
    "blocks.{n}.attn.hook_rot_k": "{side}.{n}.self.key",
    "blocks.{n}.attn.hook_pattern": "{side}.{n}.self.pattern",
    "blocks.{n}.attn.hook_z": "{side}.{n}.self.head_output",
    "blocks.{n}.attn.hook_result": "{side}.{n}.self.contribution",
    "blocks.{n}.hook_attn_in": "{side}.{n}.self.input",
    "blocks.{n}.hook_attn_out": "{side}.{n}.self.output",
    "blocks.{n}.cross_attn.hook_q": "{side}.{n}.cross.query",
    "blocks.{n}.cross_attn.hook_k": "{side}.{n}.cross.key",
    "blocks.{n}.cross_attn.hook_v": "{side}.{n}.cross.value",
    "blocks.{n}.cross_attn.hook_pattern": "{side}.{n}.cross.pattern",
    "blocks.{n}.cross_attn.hook_z": "{side}.{n}.cross.head_output",
    "blocks.{n}.cross_attn.hook_result": "{side}.{n}.cross.contribution",
    "blocks.{n}.hook_cross_attn_out": "{side}.{n}.cross.output",
    "blocks.{n}.hook_mlp_in": "{side}.{n}.feed_forward.input",
    "blocks.{n}.mlp.hook_post": "{side}.{n}.feed_forward.activations",
    "blocks.{n}.hook_mlp_out": "{side}.{n}.feed_forward.output",
}
"""Without a side before it, a name is of the only stack, or of the decoder; `encoder.0.…` is `encoder_blocks`' own."""
PREFIXES = {"encoder.": "encoder", "decoder.": "decoder", "": ""}


def own_name(name: str, sides: list[str]) -> str:
    """Our name for one of TransformerLens' names; any other is handed back."""
    if "hook_" not in name:
        return name
    prefix = next(prefix for prefix in PREFIXES if name.startswith(prefix))
    side = PREFIXES[prefix] or ("decoder" if "decoder" in sides or not sides else sides[0])
    rest = name.removeprefix(prefix)
    rest = rest if rest.startswith(("blocks.", "hook_")) else f"blocks.{rest}"
    number = re.match(r"blocks\.([^.]+)\.", rest)
    if number is None:
        return NAMES.get(rest, name).format(side=side)
    known = NAMES.get(rest.replace(number[0], "blocks.{n}.", 1))
    return name if known is None else known.format(side=side, n=number[1])
