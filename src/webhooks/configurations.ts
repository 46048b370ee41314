/** What webhooks are told of configurations. */

import type { ConfigurationNews, FailureNews, HistoryNews, VersionNews } from "../history/port.ts";
import { type HistoryNoticeKind, historyNoticeKinds, type Notice } from "../store/port.ts";
import type { Told } from "./forms.ts";
import { createTogether, firstNames, listedNames, shownNames, type TogetherTools } from "./together.ts";

export interface ConfigurationTools extends TogetherTools {
  readonly news: HistoryNews;
  readonly iso: (ms: number) => string;
}

type Item = (ConfigurationNews & { readonly notice: Notice }) &
  ({ readonly version: VersionNews } | { readonly failure: FailureNews });

export function createConfigurationTelling({ news, iso, ...tools }: ConfigurationTools) {
  async function itemsOf(kind: HistoryNoticeKind, notices: readonly Notice[]): Promise<Item[]> {
    const bySubject = new Map(notices.map((notice) => [Number(notice.subject), notice]));
    const ids = [...bySubject.keys()];
    if (kind === "history.failed")
      return (await news.failures(ids)).flatMap((failure) =>
        itemOf(bySubject.get(failure.id), failure, { failure }),
      );
    return (await news.versions(ids)).flatMap((version) =>
      itemOf(bySubject.get(version.n), version, { version }),
    );
  }

  function toldOf(event: HistoryNoticeKind, item: Item): Told {
    const page = `history/${encodeURIComponent(item.device)}`;
    if ("failure" in item) {
      const { device, error, failedAt, lastGoodAt, jobId } = item.failure;
      const last_good_at = lastGoodAt === null ? null : iso(lastGoodAt);
      return {
        ...{ event, page },
        data: { history: { device, error, failed_at: iso(failedAt), last_good_at, job_id: jobId } },
        values: {
          what: `Configuration of ${device} could not be read`,
          ...{ error, lastGood: last_good_at ?? "", job: jobId ?? "" },
        },
      };
    }
    const { record } = item.version;
    const { device, part, version, added, removed, reason, source, who, by_on_device } = record;
    const what =
      event === "history.changed"
        ? `Configuration of ${device} changed: ${added} added, ${removed} removed`
        : `Configuration of ${device} is suspect`;
    return {
      ...{ event, page, data: { history: record } },
      values: {
        ...{
          what,
          source,
          reason: reason ?? "",
          version: `${version}${part === "running" ? "" : ` (${part})`}`,
        },
        ...{ who: who ?? "", onDevice: by_on_device ?? "" },
        ...{ push: record.cause_job_id ?? "", job: record.job_id ?? "" },
      },
    };
  }

  return createTogether<HistoryNoticeKind, Item>(tools, {
    kinds: historyNoticeKinds,
    items: itemsOf,
    toldOf,
    toldOfMany,
    difference: async (item) => ("version" in item ? item.version.difference() : undefined),
  });
}

function itemOf(
  notice: Notice | undefined,
  { device, isVisibleTo }: ConfigurationNews,
  what: { readonly version: VersionNews } | { readonly failure: FailureNews },
): Item[] {
  return notice === undefined ? [] : [{ device, isVisibleTo, notice, ...what }];
}

const ofMany: Readonly<Record<HistoryNoticeKind, (count: string) => string>> = {
  "history.changed": (count) => `Configurations of ${count} changed`,
  "history.suspect": (count) => `Configurations of ${count} are suspect`,
  "history.failed": (count) => `Configurations of ${count} could not be read`,
};

function toldOfMany(event: HistoryNoticeKind, items: readonly Item[]): Told {
  const names = [...new Set(items.map(({ device }) => device))].sort();
  const history = { count: items.length, device_count: names.length, devices: names.slice(0, listedNames) };
  const people = [
    ...new Set(items.flatMap((item) => ("version" in item ? (item.version.record.who ?? []) : []))),
  ];
  return {
    ...{ event, page: "history", data: { history } },
    values: {
      what: ofMany[event](names.length === 1 ? "1 device" : `${names.length} devices`),
      devices: firstNames(names),
      who: people.slice(0, shownNames).join(", "),
    },
  };
}
