/** Looks through the newest text of each device: whether it can still be read. */
import type { Store } from "../../store/port.ts";
import { textsOf } from "../reading/texts.ts";

const atOnce = 100;

/**
 * Devices whose newest good running configuration, or a secret in it, is damaged or gone.
 * @returns names with the number of the version. @throws ServiceError Unavailable
 */
export async function findUnreadable(
  store: Pick<Store, "history">,
): Promise<{ readonly device: string; readonly version: number }[]> {
  const found: { readonly device: string; readonly version: number }[] = [];
  for (let after = ""; ; ) {
    const heads = await store.history.devices({ after }, atOnce);
    const newest = heads.flatMap(({ device, latest }) => (latest ? [{ device, latest }] : []));
    const texts = await textsOf(
      store,
      newest.map(({ latest }) => latest),
      true,
    );
    for (const [at, { device, latest }] of newest.entries())
      if (texts[at] === undefined) found.push({ device: device.shown, version: latest.version });
    const last = heads.length < atOnce ? undefined : heads.at(-1);
    if (last === undefined) return found;
    after = last.device.name;
  }
}
