/** Comparisons of configurations with intents as plain data, which are computed in another process. */
import type { SecretPlace } from "../../plugin/platform.ts";
import {
  type PlainMode,
  type PlainRules,
  type PlainSecretPlace,
  rulesOf,
  secretPlacesOf,
  treeRules,
  twinModes,
} from "../rules.ts";
import { intentMarks } from "./closed-marks.ts";
import { compareSections, createMeanings, type Meant } from "./compare.ts";
import { type Fix, fixOf } from "./fix.ts";
import { type MaskedIntent, maskedIntent } from "./secrets.ts";
import type { IntentSections } from "./sections.ts";
import { type ToldDrift, toldDrift } from "./told.ts";

export interface WantedText {
  /** With secrets. */
  readonly text: string;
  /** Its secrets are compared with nothing: see `closed-marks.ts`; undefined: they are compared. */
  readonly closed: string | undefined;
}

/** Devices of one platform. */
export interface WantedDrift {
  readonly rules: PlainRules;
  readonly secrets?: readonly PlainSecretPlace[] | undefined;
  /** Key of the marks of secrets, in hexadecimal. */
  readonly markKey: string;
  readonly intents: readonly IntentSections[];
  /** What devices should have: equal ones once. */
  readonly texts: readonly WantedText[];
  readonly devices: readonly {
    /** What the device has, masked. */
    readonly now: string;
    /** Indexes of intents and their texts. */
    readonly wanted: readonly { readonly intent: number; readonly text: number }[];
  }[];
  /** Lines that open sections, for a twin that proves the lines. */
  readonly modes?: readonly PlainMode[] | undefined;
  /** Also the lines that mend it: of these sections; null: of all. */
  readonly fix?: readonly string[] | null;
}

export interface FoundDrift extends ToldDrift {
  /** Masked. */
  readonly fix?: Fix;
}

/** By device, in the order of what is wanted of it. */
export function driftOf({
  rules: plain,
  secrets,
  markKey,
  intents,
  texts,
  devices,
  modes,
  fix,
}: WantedDrift): FoundDrift[][] {
  const rules = treeRules(rulesOf(plain));
  const meaningOf = createMeanings(rules);
  const places: readonly SecretPlace[] | undefined = secrets && secretPlacesOf(secrets);
  const known = new Map<number, { readonly masked: MaskedIntent; readonly meant: Meant }>();
  const wantedAt = (at: number) => {
    const found = known.get(at);
    if (found !== undefined) return found;
    const { text = "", closed } = texts[at] ?? {};
    const masked = maskedIntent(text, { secrets: places, shape: plain.shape }, intentMarks(markKey, closed));
    const made = { masked, meant: meaningOf(masked.text) };
    known.set(at, made);
    return made;
  };
  return devices.map(({ now, wanted }) => {
    const meant = meaningOf(now);
    return wanted.map(({ intent: at, text }) => {
      const intent = intents[at] ?? { sections: [], ignore: [] };
      const { masked, meant: should } = wantedAt(text);
      const told = toldDrift(compareSections(meant, should, intent, masked.salted));
      if (fix === undefined) return told;
      const only = fix === null ? undefined : new Set(fix);
      const places = modes && twinModes(modes);
      const options = { rules, salted: masked.salted, only, modes: places };
      return { ...told, fix: fixOf(now, masked.text, intent, options) };
    });
  });
}
