/** What webhooks are told of drift. */
import type { DriftNews, DriftNewsItem } from "../intent/port.ts";
import { type DriftNoticeKind, driftNoticeKinds, type Notice } from "../store/port.ts";
import type { Told } from "./forms.ts";
import { createTogether, firstNames, listedNames, type TogetherTools } from "./together.ts";

export interface DriftTools extends TogetherTools {
  readonly driftNews: DriftNews;
}

type Item = DriftNewsItem & { readonly notice: Notice };

export function createDriftTelling({ driftNews, ...tools }: DriftTools) {
  async function items(kind: DriftNoticeKind, notices: readonly Notice[]): Promise<Item[]> {
    const found = await driftNews(
      notices.map(({ subject, detail }) => ({ device: subject, intent: detail ?? "" })),
    );
    const seen = new Set<string>();
    return found.flatMap((item, at) => {
      const notice = notices[at];
      const name = `${notice?.subject} ${notice?.detail}`;
      // What has become of it since is told by a later notice; the same once.
      if (notice === undefined || item === undefined || !isStill(kind, item) || seen.has(name)) return [];
      seen.add(name);
      return [{ ...item, notice }];
    });
  }

  return createTogether<DriftNoticeKind, Item>(tools, {
    kinds: driftNoticeKinds,
    items,
    toldOf,
    toldOfMany,
    difference: ({ difference }) => difference(),
  });
}

function isStill(kind: DriftNoticeKind, { record }: DriftNewsItem): boolean {
  switch (kind) {
    case "drift.found":
      return record.state === "drifted";
    case "drift.gone":
      return record.state === "compliant";
    case "drift.unknown":
      return record.state === "unknown" || record.state === "intent_error";
    case "drift.needs_person":
      return record.needs_person;
  }
}

const words: Readonly<Record<DriftNoticeKind, (device: string, intent: string) => string>> = {
  "drift.found": (device, intent) => `${device} drifts from the intent ${intent}`,
  "drift.gone": (device, intent) => `${device} complies with the intent ${intent} again`,
  "drift.unknown": (device, intent) => `${device} cannot be judged by the intent ${intent}`,
  "drift.needs_person": (device, intent) => `Fixes did not bring ${device} back to the intent ${intent}`,
};

function toldOf(event: DriftNoticeKind, { record }: Item): Told {
  const { device, intent, sections, reason, since, version, rounds } = record;
  const differing = sections
    .filter(({ state }) => state === "drifted")
    .map(({ name, missing, extra, differs }) =>
      [
        `${name}:`,
        [
          ...(missing > 0 ? [`${missing} missing`] : []),
          ...(extra > 0 ? [`${extra} extra`] : []),
          ...(differs > 0 ? [`${differs} other`] : []),
        ].join(", "),
      ].join(" "),
    );
  return {
    ...{ event, page: "drift", data: { drift: record } },
    values: {
      ...{ what: words[event](device, intent), reason: reason ?? "", sections: differing.join("; ") },
      ...{ version: version === null ? "" : String(version), since: since ?? "" },
      rounds: rounds === 0 ? "" : String(rounds),
    },
  };
}

function toldOfMany(event: DriftNoticeKind, items: readonly Item[]): Told {
  const names = [...new Set(items.map(({ record }) => record.device))].sort();
  const intents = [...new Set(items.map(({ record }) => record.intent))].sort();
  const drift = {
    ...{ count: items.length, device_count: names.length },
    ...{ devices: names.slice(0, listedNames), intents },
  };
  const devices = names.length === 1 ? "1 device" : `${names.length} devices`;
  const what = {
    "drift.found": `${devices} drift`,
    "drift.gone": `${devices} comply again`,
    "drift.unknown": `${devices} cannot be judged`,
    "drift.needs_person": `Fixes did not help ${devices}`,
  }[event];
  return {
    ...{ event, page: "drift", data: { drift } },
    values: { what, devices: firstNames(names), intents: firstNames(intents) },
  };
}
