/** The current record and its group. */
import type { Value } from "../../python/index.ts";
import type { Call } from "../template/attributes.ts";
import type { PathItem } from "./paths.ts";

/** The position distinguishes groups of the same name. */
export interface GroupId {
  readonly name: string;
  readonly key: string;
}

/** The current record. */
export interface RecordState {
  result: Value;
  defaults: ReadonlyMap<string, Value>;
  /** As written in the template, until it is formatted. */
  path: (string | PathItem)[];
  functions: readonly Call[];
  groupId: GroupId | undefined;
  /** Whether the lines follow a child group and belong to the last saved item. */
  mergeWithLast: boolean;
}
