"""Rules about pictures: how many a request may hold, and how large each may be."""

from __future__ import annotations

from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, Severity, at, quoting
from tape.rules.view import Picture, View

FEW, ALL, BEDROCK = 100, 600, 20
MANY = 20
LONGEST_SIDE = 8000
LONGEST_OF_MANY = 2000
MEGABYTE = 1024 * 1024
KINDS = ("image/jpeg", "image/png", "image/gif", "image/webp")


class TooManyImages(Rule):
    """More pictures than a request may hold: 600, or 100 for models with a window of 200,000 tokens."""

    code = "too-many-images"
    title = "There are too many pictures"
    why = "Every picture is sent, and paid for, with every request."
    repair = "Take old pictures out."
    stage = 5
    on = at(refused="anthropic bedrock")
    example = """more than 600 pictures"""

    def check(self, view: View) -> Iterator[Finding]:
        count = len(view.pictures)
        known = view.model.images if view.model else None
        most = BEDROCK if view.endpoint == "bedrock" else known
        if count <= (most or FEW):
            return
        first = view.pictures[0]
        uids = tuple(dict.fromkeys(view.uid(p.i, p.j) for p in view.pictures))
        if most is not None:
            text = f"There are {count} pictures; {most} are allowed."
            yield self.find(view, (first.i, first.j), text, uids=uids)
        else:
            text = f"There are {count} pictures; {FEW} or {ALL} are allowed, depending on the model."
            severity: Severity | None = None if count > ALL else "risky"
            yield self.find(view, (first.i, first.j), text, uids=uids, severity=severity)


class ImageTooLarge(Rule):
    """A picture that is too wide, too high or too heavy, or of a kind that models do not read.

    A side may have 8000 pixels, and 2000 where a request holds more than twenty pictures and documents.
    """

    code = "image-too-large"
    title = "A picture is too large, or of an unknown kind"
    why = "Larger pictures would be scaled down anyway before the model sees them."
    repair = "Scale the picture down and encode it anew."
    stage = 5
    on = at(refused="anthropic bedrock")
    seen = quoting(
        many=Seen(
            "messages.{i}.content.{j}{inside}.image.source.base64.data: At least one of the image dimensions "
            "exceed max allowed size for many-image requests: 2000 pixels",
            "2026-08",
            "V",
            "platform.claude.com, vision (the rule); several issues (the text)",
        ),
        heavy=Seen(
            "messages.{i}.content.{j}{inside}.image.source.base64: image exceeds {most} MB maximum: {bytes} "
            "bytes > {limit} bytes",
            "2026-08",
            "V",
            "platform.claude.com, vision (the rule); several issues (the text, with 5 MB)",
        ),
    )
    example = """a picture of 9000 by 100 pixels"""

    def check(self, view: View) -> Iterator[Finding]:
        documents = sum(s.i >= view.sent_from for s in view.of_kind("document"))
        many = len(view.pictures) + documents > MANY
        for picture in view.pictures:
            yield from self._one(view, picture, many)

    def _one(self, view: View, picture: Picture, many: bool) -> Iterator[Finding]:
        where, bedrock = (picture.i, picture.j), view.endpoint == "bedrock"
        if picture.media_type and picture.media_type not in KINDS:
            yield self.find(view, where, f"Pictures of kind {picture.media_type[:60]} are not read.")
        weight = picture.chars * 3 // 4 if bedrock else picture.chars
        most = 3.75 if bedrock else 10
        if weight > most * MEGABYTE:
            text = f"A picture has {weight / MEGABYTE:.1f} MB; {most:g} are allowed."
            yield self.find(
                view,
                where,
                text,
                seen="none" if bedrock else "heavy",
                inside=picture.inside,
                most=f"{most:g}",
                bytes=weight,
                limit=int(most * MEGABYTE),
            )
        if picture.size is None:
            return
        shape = f"A picture has {picture.size[0]} by {picture.size[1]} pixels"
        if max(picture.size) > LONGEST_SIDE:
            yield self.find(view, where, f"{shape}; {LONGEST_SIDE} a side are allowed.")
        elif many and not bedrock and max(picture.size) > LONGEST_OF_MANY:
            text = f"{shape}; among more than {MANY} they may have {LONGEST_OF_MANY} a side."
            yield self.find(view, where, text, seen="many", inside=picture.inside)
