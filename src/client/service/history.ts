/** What the client reads of the history of configurations. */
import * as v from "valibot";
import { configuredDevice, noticeAnswer, versionRecord, versionText } from "../../api/history.ts";
import { reader } from "../../api/schema.ts";
import type { Api, Call } from "./api.ts";

export const version = reader(versionRecord);
export type Version = v.InferOutput<typeof version>;
export const versionList = v.array(version);
export const oneText = reader(versionText);
export const historyOfDevice = reader(configuredDevice);
export type DeviceHistory = v.InferOutput<typeof historyOfDevice>;
export const deviceHistories = v.array(historyOfDevice);
export const notice = reader(noticeAnswer);

/** Address of a device's history, with steps below it. */
export function historyPath(name: string, ...steps: readonly string[]): string {
  return ["/history/device", name, ...steps]
    .map((step, at) => (at === 0 ? step : encodeURIComponent(step)))
    .join("/");
}

/** Of one record of a list. */
export type RecordSchema<T> = v.GenericSchema<unknown, T>;

const pageSize = 500;

/** Reads pages until there are so many. @returns them, and whether there are more */
export async function readPages<T>(
  api: Api,
  path: string,
  schema: RecordSchema<T>,
  query: Call["query"],
  maxRecords: number,
): Promise<{ readonly records: T[]; readonly isCut: boolean }> {
  const records: T[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(pageSize, maxRecords - records.length);
    const page = await api.page(path, v.array(schema), { query: { ...query, limit, cursor } });
    records.push(...page.data);
    cursor = page.cursor;
  } while (cursor !== undefined && records.length < maxRecords);
  return { records, isCut: cursor !== undefined };
}
