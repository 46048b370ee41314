/** The record that is being filled, and the group that it belongs to. */
import type { Value } from "../python/values.ts";
import type { Call } from "./attributes.ts";
import type { PathItem } from "./paths.ts";

/** Two groups of one name are told apart by their place. */
export interface GroupId {
  readonly name: string;
  readonly key: string;
}

/** The record that is being filled. */
export interface RecordState {
  result: Value;
  defaults: ReadonlyMap<string, Value>;
  /** As the template gives it, until it is formed. */
  path: (string | PathItem)[];
  functions: readonly Call[];
  groupId: GroupId | undefined;
  /** Lines after a child group: they belong to the last item that was saved. */
  mergeWithLast: boolean;
}
