/** What changes need of the history: which version a device has, and the plan of a job that gives it an earlier one. */
import type { RestorePlan } from "../../api/history/history.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import { ServiceError } from "../../base/errors.ts";
import { neverAborted } from "../../base/time/deadline.ts";
import { platformRules } from "../../configtext/rules.ts";
import type { Inventory } from "../../inventory/port.ts";
import type { DriverPlugin, PlatformPlugin } from "../../plugin/index.ts";
import type { Pool } from "../../pool/port.ts";
import type { Store, StoredConfigVersion } from "../../store/port.ts";
import type { KnownHead, KnownVersion, Returns } from "../port.ts";
import { createTextWork } from "../reading/text-work.ts";
import { textsOf, wholeText } from "../reading/texts.ts";
import { withinLimit } from "../reading/work-limit.ts";
import { warningOf } from "./doubts.ts";
import { lackOf } from "./lost-secrets.ts";
import { findWay, joined, linesOf, wayOf } from "./restore.ts";

export interface ReturnsOptions {
  readonly store: Pick<Store, "history">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly pool: Pick<Pool, "run">;
  driver(name: string): DriverPlugin | undefined;
  platform(name: string): PlatformPlugin | undefined;
}

const atOnce = 500;

/** The text that lines are compared with: the one that is written as they are. */
export function comparedPart(rules: PlatformPlugin["running"]): "running" | "set" | undefined {
  if (rules === undefined || rules.files !== undefined) return undefined;
  if (rules.shape === undefined || rules.shape === "indent" || rules.shape === "set") return "running";
  return rules.set === undefined ? undefined : "set";
}

export function createReturns(options: ReturnsOptions): Returns {
  const { history } = options.store;

  const known = ({ version, compare }: StoredConfigVersion): KnownVersion => ({ version, compare });

  return {
    async heads(names) {
      const keys = names.map(entryKey);
      const found = new Map<string, KnownHead>();
      for (let from = 0; from < keys.length; from += atOnce) {
        const some = keys.slice(from, from + atOnce);
        for (const { device, latest, suspects } of await history.devices({ names: some }, some.length))
          if (latest !== undefined) found.set(device.name, { ...known(latest), isDoubted: suspects > 0 });
      }
      return found;
    },

    whyNot(device) {
      const found = findWay(device, "running", options);
      return "why" in found ? found.why : undefined;
    },

    byLines(device) {
      const found = findWay(device, "running", options);
      return "way" in found && found.way === "lines";
    },

    async version(name, version) {
      const device = await history.device(entryKey(name));
      const found = device && (await history.version(device.id, "running", version));
      return found && known(found);
    },

    async chosen(name, { version, at }) {
      const device = await history.device(entryKey(name));
      if (device === undefined) return undefined;
      const found =
        version === undefined
          ? await history.versionAt(device.id, "running", at ?? 0)
          : await history.version(device.id, "running", version);
      return found?.state === "good" ? known(found) : undefined;
    },

    async plan(name, wantedVersion, baseVersion) {
      const snapshot = await options.inventory.snapshot();
      const target = snapshot.device(name);
      const device = await history.device(entryKey(name));
      if (target === undefined || device === undefined)
        throw new ServiceError("NotFound", `There is no device "${name}" in the inventory any more.`);
      const [wanted, base] = await Promise.all(
        [wantedVersion, baseVersion].map((version) => history.version(device.id, "running", version)),
      );
      if (wanted === undefined || base === undefined)
        throw new ServiceError("NotFound", `A version of ${name} was deleted since.`);
      const { way, driver, platform, replacement } = wayOf(target, "running", options);
      const place = { device: device.id, part: "running" } as const;
      const plan: RestorePlan = {
        wanted: { ...place, version: wanted.version },
        base: { ...place, version: base.version },
        way,
        platform: platform?.name ?? null,
        first: [...(replacement.first ?? [])],
        whole: driver.configuration === "texts",
      };
      const textWork = createTextWork(options.pool);
      const texts = { wanted: await maskedText(wanted), base: await maskedText(base) };
      const { lines, doubts } = await withinLimit(neverAborted, (deadline) =>
        linesOf(plan, texts, platform, textWork, { deadline, key: undefined }),
      );
      const lack = await lackOf(options.store, wanted, texts.wanted, lines);
      if (lack !== undefined) throw new ServiceError("Validation", `${name}: ${lack}.`);
      return {
        ...{ plan, config: joined(lines, plan), driverArgs: replacement.args },
        doubts: doubts.map((doubt) => warningOf[doubt]),
      };
    },

    async between(name, from, to, { share, signal }) {
      const device = await history.device(entryKey(name));
      const [a, b] = await Promise.all(
        [from, to].map((version) => device && history.version(device.id, "running", version)),
      );
      if (device === undefined || a === undefined || b === undefined)
        throw new ServiceError("NotFound", `A version of ${name} was deleted since.`);
      const rules = platformRules(options.platform(device.platform ?? "") ?? {});
      const names = { from: `${device.shown} ${from}`, to: `${device.shown} ${to}` };
      const texts = { ...{ a: await maskedText(a), b: await maskedText(b), rules }, ...names };
      return withinLimit(signal, (deadline) =>
        createTextWork(options.pool).unified(texts, { deadline, share: { key: share, job: false } }),
      );
    },

    async effect(device, version, lines, { share, signal }) {
      const platform = options.platform(device.platform ?? "");
      const rules = platform?.running;
      const part = comparedPart(rules);
      if (rules?.negate === undefined || part === undefined)
        return {
          why: `it is not known how lines change a configuration of ${device.platform ?? "no platform"}`,
        };
      const head = await history.head(entryKey(device.name), part);
      // Numbers are of the running configuration.
      const isOlder = version !== undefined && head?.version !== version && part === "running";
      const found = isOlder && head ? await history.version(head.device, part, version) : head;
      if (found === undefined) return { why: `no good ${part} configuration of it is known: read it first` };
      const texts = {
        ...{ a: await maskedText(found), b: lines, negate: rules.negate },
        rules: { ...rules, blocks: platform?.blocks, ...(part === "set" ? { shape: part } : {}) },
      };
      const effect = await withinLimit(signal, (deadline) =>
        createTextWork(options.pool).effect(texts, { deadline, share: { key: share, job: false } }),
      );
      return { version: found.version, isNewest: found === head, effect };
    },
  };

  async function maskedText(version: StoredConfigVersion): Promise<string> {
    return wholeText((await textsOf(options.store, [version]))[0]);
  }
}
