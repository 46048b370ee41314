/** What lines would do to the newest good configuration of a device. */
import { entryKey } from "../../api/inventory/inventory.ts";
import { modesOf, plainModes, writtenRules } from "../../configtext/rules.ts";
import { maskDifference } from "../../configtext/secrets/mask-difference.ts";
import { fingerprintOfNone, fingerprintWith } from "../../configtext/secrets/secrets.ts";
import type { PlatformPlugin } from "../../plugin/index.ts";
import type { Pool } from "../../pool/port.ts";
import type { Store } from "../../store/port.ts";
import type { AskedForesight, Foresights } from "../port.ts";
import { createTextWork } from "../reading/text-work.ts";
import { textOf } from "../reading/texts.ts";
import { comparedPart } from "./returns.ts";

interface ForesightOptions {
  readonly store: Pick<Store, "history">;
  readonly pool: Pick<Pool, "run">;
  /** By name or alias. */
  platform(name: string): PlatformPlugin | undefined;
}

export function createForesights({ store, pool, platform: find }: ForesightOptions): Foresights {
  const textWork = createTextWork(pool);

  /** @returns why there is none */
  async function headOf({ device }: AskedForesight, { running }: Partial<PlatformPlugin>) {
    if (device === undefined) return "it is no device of the inventory, whose configurations are kept";
    const part = comparedPart(running);
    if (running?.negate === undefined || part === undefined)
      return "it is not known how lines change a configuration of its system";
    const head = await store.history.head(entryKey(device), part);
    return head ?? "no good configuration of it is known: read it first";
  }

  async function shownLines(
    { lines, isMasked, comparesSecrets }: AskedForesight,
    platform: PlatformPlugin | undefined,
  ): Promise<string> {
    const text = lines.join("\n");
    if (isMasked === true) return text;
    const fingerprint = comparesSecrets
      ? fingerprintWith(await store.history.markKey())
      : fingerprintOfNone();
    return maskDifference(text, platform?.running, fingerprint);
  }

  return {
    async foresee(asked, { share, job, deadline }) {
      const platform = find(asked.platform ?? "");
      const part = comparedPart(platform?.running);
      const shown = await shownLines(asked, platform);
      const head = await headOf(asked, platform ?? {});
      const isKnown = typeof head !== "string";
      const foreseen = await textWork.foresee(
        {
          ...{ a: isKnown ? await textOf(store, head) : undefined, b: shown, session: asked.session },
          ...{ rules: writtenRules(platform, part), access: platform?.running?.access },
          modes: plainModes(modesOf(platform)),
        },
        { deadline, share: { key: share, job } },
      );
      const known =
        isKnown && part !== undefined ? { part, ...(await standing(head, asked.device ?? "")) } : undefined;
      return { lines: shown.split("\n"), foreseen, known, why: isKnown ? undefined : head };
    },
  };

  async function standing(
    {
      version,
      takenAt,
      seenAt,
    }: { readonly version: number; readonly takenAt: number; readonly seenAt: number },
    device: string,
  ) {
    const [state] = await store.history.devices({ names: [entryKey(device)] }, 1);
    return { version, takenAt, seenAt, isDoubted: (state?.suspects ?? 0) > 0 };
  }
}
