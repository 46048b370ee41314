/** What a word will do to the devices of a change, in sentences for the confirmation. */
import type { ChangeWord } from "../../../api/changes/change.ts";
import { askedOf, type OneChange } from "../../shapes/changes.ts";
import { text } from "../../text/text.ts";

const words = text.change.words;
const wavesText = text.change.waves;
const devices = text.change.devices;

export function consequencesOf(of: OneChange, word: ChangeWord): readonly string[] {
  const { targets, waves, wave, not_returnable } = of;
  const asked = askedOf(of);
  const keeps = asked?.on_stop === "keep";
  /** Devices that may have lines. */
  const touched = targets.pushing + targets.pushed + targets.failed + targets.unknown;
  const cannot = not_returnable === 0 ? [] : [`${devices(not_returnable)} of the plan cannot be given back.`];
  switch (word) {
    case "start": {
      const all = waves.reduce((sum, count) => sum + count, 0);
      const when = asked?.not_before ? `not before ${asked.not_before}` : "now";
      return [
        `${devices(all)} in ${wavesText(waves.length)}. The first wave, of ${devices(waves[0] ?? 0)}, begins ${when}.`,
        keeps
          ? `If it stops, devices keep what they got until somebody says ${words.return}.`
          : "If it stops, devices are given back what they had.",
        ...cannot,
      ];
    }
    case "resume":
      return [
        of.phase === "gate"
          ? `Wave ${wave + 1} of ${waves.length} begins: ${devices(waves[wave] ?? 0)}.`
          : `Wave ${wave} of ${waves.length} goes on.`,
      ];
    case "pause":
      return [
        `What has begun is brought to its end; nothing more begins until somebody says ${words.resume}.`,
      ];
    case "stop":
      return [
        targets.pushing === 0
          ? "Nothing more begins. No push runs."
          : `Nothing more begins. Pushes that run end first, on up to ${devices(targets.pushing)}: of one that is cut off nobody would know the outcome.`,
        touched === 0
          ? "No device has lines of this change."
          : keeps
            ? `Then up to ${devices(touched)} will keep what they got, until somebody says ${words.return}.`
            : `Then up to ${devices(touched)} will get back what they had before.`,
        `${devices(targets.waiting)} that waited will get nothing.`,
        ...(touched === 0 || keeps ? [] : cannot),
      ];
    case "return":
      return [
        `Up to ${devices(touched + targets.not_returned)} will get back what they had before. Each is read first: one that somebody else has changed since gets nothing.`,
        ...cannot,
      ];
    case "cancel":
      return [text.change.sureCancel];
  }
}

/** What is approved, in a line. */
export function approvedOf(of: OneChange): string {
  const all = of.waves.reduce((sum, count) => sum + count, 0);
  const texts = of.groups.length === 1 ? "the same lines" : `${of.groups.length} different texts`;
  return `${devices(all)} in ${wavesText(of.waves.length)} get ${texts}`;
}
