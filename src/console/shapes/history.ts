/** Schemas of the answers about configurations that the console reads. */
import type * as v from "valibot";
import {
  blameAnswer,
  configuredDevice,
  differenceAnswer,
  searchResult,
  versionRecord,
  versionText,
} from "../../api/history/history.ts";
import { reader } from "../../api/schema.ts";

export const version = reader(versionRecord);
export type Version = v.InferOutput<typeof version>;
export const configured = reader(configuredDevice);
export type Configured = v.InferOutput<typeof configured>;
export const oneText = reader(versionText);
export const difference = reader(differenceAnswer);
export type Difference = v.InferOutput<typeof difference>;
export const blame = reader(blameAnswer);
export type Blame = v.InferOutput<typeof blame>;
export const match = reader(searchResult);
export type Match = v.InferOutput<typeof match>;

/** Address of a device's history, with steps below it. */
export function historyPath(name: string, ...steps: readonly string[]): string {
  return ["/history/device", ...[name, ...steps].map(encodeURIComponent)].join("/");
}

/** Who is behind a version: as the device says, else who asked or pushed. */
export const personOf = ({ by_on_device, who }: Version): string => by_on_device ?? who ?? "";
