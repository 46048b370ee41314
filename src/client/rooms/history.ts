/** What the client reads of the history of configurations. */
import * as v from "valibot";
import {
  blameAnswer,
  configuredDevice,
  differenceAnswer,
  noticeAnswer,
  restoreDraft,
  searchResult,
  versionRecord,
  versionText,
} from "../../api/history/history.ts";
import { remoteRecord } from "../../api/history/history-remote.ts";
import { reader } from "../../api/schema.ts";
import type { Api, Call } from "../service/api.ts";

export const version = reader(versionRecord);
export type Version = v.InferOutput<typeof version>;
export const oneText = reader(versionText);
export const historyOfDevice = reader(configuredDevice);
export type DeviceHistory = v.InferOutput<typeof historyOfDevice>;
export const difference = reader(differenceAnswer);
export type Difference = v.InferOutput<typeof difference>;
export const blame = reader(blameAnswer);
export type Blame = v.InferOutput<typeof blame>;
export const match = reader(searchResult);
export type Match = v.InferOutput<typeof match>;
export const draft = reader(restoreDraft);
export const remote = reader(remoteRecord);
export type Remote = v.InferOutput<typeof remote>;
export const remotes = v.array(remote);
export const notice = reader(noticeAnswer);

/** Address of a device's history, with steps below it. */
export function historyPath(name: string, ...steps: readonly string[]): string {
  return ["/history/device", name, ...steps]
    .map((step, at) => (at === 0 ? step : encodeURIComponent(step)))
    .join("/");
}

/** A stored configuration, with secrets as marks, and the platform that the inventory names. */
export interface StoredText {
  readonly name: string;
  readonly platform: string | undefined;
  readonly version: number;
  readonly text: string;
}

/** @param number of the version, or `latest` */
export async function storedText(api: Api, name: string, number: string): Promise<StoredText> {
  const [{ device, version, text }, [known]] = await Promise.all([
    api.call(historyPath(name, number), oneText),
    api.call("/history/device", v.array(historyOfDevice), { query: { device: name } }),
  ]);
  return { name: device, platform: known?.platform ?? undefined, version, text };
}

/** Of one record of a list. */
export type RecordSchema<T> = v.GenericSchema<unknown, T>;

const pageSize = 500;

/** Reads pages until there are so many records. @returns how many were read, and whether there are more */
export async function eachPage<T>(
  api: Api,
  path: string,
  schema: RecordSchema<T>,
  query: Call["query"],
  maxRecords: number,
  take: (records: readonly T[]) => Promise<void>,
): Promise<{ readonly count: number; readonly isCut: boolean }> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const limit = Math.min(pageSize, maxRecords - count);
    const page = await api.page(path, v.array(schema), { query: { ...query, limit, cursor } });
    await take(page.data);
    count += page.data.length;
    cursor = page.cursor;
  } while (cursor !== undefined && count < maxRecords);
  return { count, isCut: cursor !== undefined };
}
