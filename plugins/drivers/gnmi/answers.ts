/** Notifications of a device as outputs of commands. */
import { isRecord } from "patchbay/plugin";
import { type GnmiPath, isSamePath, isWildcard, pathText } from "./paths.ts";
import type { Notification, Path } from "./proto/gnmi_pb.ts";
import { dataOfUpdate } from "./values.ts";

/** A path of a query. */
export interface Asked {
  readonly command: string;
  readonly path: GnmiPath;
  /** With the prefix in front. */
  readonly full: GnmiPath;
}

export interface ReadUpdate {
  readonly path: GnmiPath;
  readonly value: unknown;
}

export interface ReadNotification {
  /** Nanoseconds since 1970. */
  readonly timestamp: bigint;
  readonly updates: readonly ReadUpdate[];
  readonly deleted: readonly GnmiPath[];
}

export function read(notification: Notification): ReadNotification {
  const { timestamp, prefix, update, delete: deleted } = notification;
  return {
    timestamp,
    updates: update.map((one) => ({ path: joined(prefix, one.path), value: dataOfUpdate(one) })),
    deleted: deleted.map((path) => joined(prefix, path)),
  };
}

/** A path of a message with the prefix of that message. */
export function joined(prefix: Path | undefined, path: Path | undefined): GnmiPath {
  return {
    origin: path?.origin || prefix?.origin || "",
    elem: [...elementsOf(prefix), ...elementsOf(path)],
  };
}

function elementsOf(path: Path | undefined): GnmiPath["elem"] {
  if (path === undefined) return [];
  // Servers of version 0.3 and before.
  if (path.elem.length === 0) return path.element.map((name) => ({ name, key: {} }));
  return path.elem.map(({ name, key }) => ({ name, key }));
}

/** ISO 8601; empty if the device has no clock worth the name. */
export function timeText(nanoseconds: bigint): string {
  const ms = Number(nanoseconds / 1_000_000n);
  return ms > 0 && ms <= 8.64e15 ? new Date(ms).toISOString() : "";
}

export const withMetadata = ({ timestamp, updates, deleted }: ReadNotification) => ({
  time: timeText(timestamp),
  updates: updates.map(({ path, value }) => ({ path: pathText(path), value })),
  ...(deleted.length === 0 ? {} : { deleted: deleted.map(pathText) }),
});

/** What a path has: its value, or values by path where it may name several nodes or the device split it. */
export function plain(notifications: readonly ReadNotification[], asked: GnmiPath): unknown {
  const updates = notifications.flatMap(({ updates }) => updates);
  const [first] = updates;
  if (updates.length === 0 || first === undefined) return null;
  // A device may leave out of its answer what the request had in its path.
  const isWhole = updates.every(({ path }) => path.elem.length === 0 || isSamePath(path, asked));
  if (!isWildcard(asked) && isWhole) {
    if (updates.length === 1) return first.value;
    // One object for each model.
    if (updates.every(({ value }) => isRecord(value)))
      return Object.assign({}, ...updates.map(({ value }) => value));
  }
  return byPath(updates);
}

export const byPath = (updates: readonly ReadUpdate[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(updates.map(({ path, value }) => [pathText(path), value]));

/** As `format: text` returns it. */
export const shownText = (data: unknown): string =>
  typeof data === "string" ? data : data === null ? "" : JSON.stringify(data, undefined, 2);
