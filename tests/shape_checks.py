"""How a test run checks signatures: sizes by jaxtyping, kinds by beartype; an int will do for a float."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
