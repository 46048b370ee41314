/** What the find box offers for a text: each source answers by itself, and a failing one offers nothing. */
import * as v from "valibot";
import { to } from "../address.ts";
import { listedChange } from "../shapes/changes.ts";
import { entry } from "../shapes/inventory.ts";
import { bulk, firstLine, jobRow, jobRowFields, placeOf } from "../shapes/shapes.ts";
import { text } from "../text/text.ts";
import { ask, holds, may } from "./api.ts";

export interface Offer {
  readonly kind: string;
  readonly name: string;
  /** What tells it from others of that name. */
  readonly detail?: string | undefined;
  readonly href: string;
}

const most = "6";
const words = text.find.kinds;
const isRange = (wanted: string) =>
  /^(?:\d{1,3}(?:\.\d{1,3}){3}\/(?:[12]?\d|3[0-2])|[\da-f:]*::[\da-f:]*\/\d{1,2})$/i.test(wanted);
const isId = (wanted: string) => /^[0-9a-f][0-9a-f-]{3,35}$/i.test(wanted);

type Source = (wanted: string, signal: AbortSignal) => Promise<readonly Offer[]>;

const devices: Source = async (wanted, signal) => {
  // Other characters would have to be quoted, and then nothing stands for any text.
  if (!/^[\w.\-:/@]+$/.test(wanted)) return [];
  // With a "/", a host can only be a whole range of addresses.
  const host = wanted.includes("/") ? (isRange(wanted) ? wanted : undefined) : `*${wanted}*`;
  const select = `(name:*${wanted}*${host === undefined ? "" : ` or host:${host}`}) enabled:*`;
  const found = await ask(
    v.array(entry),
    `/inventory/device?${new URLSearchParams({ select, limit: most })}`,
    { signal },
  );
  return found.map(({ name, host, site }) => ({
    ...{ kind: words.device, name, href: to(["device", name]) },
    detail: [host, site].filter(Boolean).join(" · "),
  }));
};

const jobs: Source = async (wanted, signal) => {
  const by: Record<string, string>[] = isId(wanted)
    ? [{ id_prefix: wanted }, { ticket: wanted }]
    : [{ ticket: wanted }];
  const found = await Promise.all(
    by.map((query) =>
      ask(
        v.array(jobRow),
        `/job?${new URLSearchParams({ ...query, limit: most, include_result: "false", fields: jobRowFields })}`,
        { signal },
      ),
    ),
  );
  return found.flat().map((row) => ({
    ...{ kind: words.job, name: placeOf(row), href: to(["job", row.id]) },
    detail: [row.status, firstLine(row), row.ticket].filter(Boolean).join(" · "),
  }));
};

const bulks: Source = async (wanted, signal) => {
  const named: Record<string, string>[] = [{ ticket: wanted }, { label: wanted }];
  const by = isId(wanted) ? [{ id_prefix: wanted }, ...named] : named;
  const found = await Promise.all(
    by.map((query) =>
      ask(v.array(bulk), `/bulk?${new URLSearchParams({ ...query, limit: most })}`, { signal }),
    ),
  );
  return found.flat().map(({ id, label, ticket, total }) => ({
    ...{ kind: words.bulk, name: label ?? id.slice(-12), href: to(["bulk", id]) },
    detail: [ticket, text.change.devices(total)].filter(Boolean).join(" · "),
  }));
};

const changes: Source = async (wanted, signal) => {
  const found = await ask(v.array(listedChange), "/change?limit=100", { signal });
  const low = wanted.toLowerCase();
  return found
    .filter(({ id, name, ticket }) => [id, name, ticket ?? ""].some((one) => one.toLowerCase().includes(low)))
    .slice(0, Number(most))
    .map(({ id, name, ticket, state }) => ({
      ...{ kind: words.change, name, href: to(["change", id]) },
      detail: [ticket, state].filter(Boolean).join(" · "),
    }));
};

/** Where the text itself is a question. */
function questions(wanted: string): Offer[] {
  return [
    { kind: words.jobs, name: text.find.jobsOf(wanted), href: to(["jobs"], { host: wanted }) },
    ...(holds("history")
      ? [{ kind: words.configuration, name: text.find.lines(wanted), href: to(["search"], { q: wanted }) }]
      : []),
    ...(may("operate")
      ? [
          {
            kind: words.action,
            name: text.find.runOn(wanted),
            href: to(["run"], { select: `name:*${wanted}*` }),
          },
        ]
      : []),
  ];
}

/** Pages by their names. */
export function pagesNamed(pages: readonly Offer[], wanted: string): readonly Offer[] {
  const low = wanted.toLowerCase();
  return pages.filter(({ name }) => name.toLowerCase().includes(low));
}

/** @throws DOMException the signal was aborted */
export async function offersFor(
  wanted: string,
  pages: readonly Offer[],
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const found = await Promise.allSettled(
    [devices, jobs, bulks, changes].map((source) => source(wanted, signal)),
  );
  signal.throwIfAborted();
  const offered = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const all = [...pagesNamed(pages, wanted), ...offered, ...questions(wanted)];
  return [...new Map(all.map((offer) => [`${offer.kind} ${offer.href}`, offer])).values()];
}
