/** Tables of the history of configurations. Texts are masked; the secrets of each are encrypted beside it. */
import { sql } from "drizzle-orm";
import { boolean, index, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { configurationParts, versionSources, versionStates } from "../../../api/history/history.ts";
import { bytes, counted, jsonText, type Row, sealed, table, whole } from "./columns.ts";

/** Devices that have a history. They stay when the inventory no longer has them. */
export const configDevices = table(
  "config_devices",
  {
    id: counted("id"),
    /** In lower case. */
    name: text("name").notNull(),
    /** As the inventory writes it. */
    shown: text("shown").notNull(),
    host: text("host").notNull(),
    group: text("group_name"),
    platform: text("platform"),
    /** When a good text was last read. */
    takenAt: whole("taken_at"),
    failedAt: whole("failed_at"),
    /** Error type of the last take if it failed after `takenAt`. */
    errorType: text("error_type"),
    /** The job of that take. */
    failedJobId: text("failed_job_id"),
    /** Whether the startup configuration differs from the running one. */
    unsaved: boolean("unsaved"),
    /** JSON: names of the modules that answered at `takenAt`; null: unknown. */
    modules: text("modules"),
  },
  (device) => [uniqueIndex("config_devices_name").on(device.name)],
);

/** Packed texts: whole, or as a difference from a whole one of the same device. */
export const configTexts = table(
  "config_texts",
  {
    id: text("id").primaryKey(),
    device: whole("device").notNull(),
    part: text("part", { enum: configurationParts }).notNull(),
    base: text("base"),
    body: bytes("body").notNull(),
    /** JSON: offset and length of each mark in the text, and what it stands for. */
    secrets: sealed("secrets"),
  },
  (stored) => [
    index("config_texts_base").on(stored.base).where(sql`base is not null`),
    index("config_texts_device").on(stored.device, stored.part),
  ],
);

export const configVersions = table(
  "config_versions",
  {
    /** Increases with each version of any device. */
    n: counted("n"),
    device: whole("device").notNull(),
    part: text("part", { enum: configurationParts }).notNull(),
    /** Counted from 1 per device and part. */
    version: whole("version").notNull(),
    state: text("state", { enum: versionStates }).notNull(),
    /** Why it is suspect. */
    reason: text("reason"),
    takenAt: whole("taken_at").notNull(),
    /** When the device last had it. */
    seenAt: whole("seen_at").notNull(),
    source: text("source", { enum: versionSources }).notNull(),
    jobId: text("job_id"),
    /** Unique per device and part: the job, or the commit that it was imported from. */
    origin: text("origin"),
    /** The push after which it was read. */
    causeJobId: text("cause_job_id"),
    /** Who asked for it, or pushed. */
    who: text("who"),
    /** Who changed it, as the device says. */
    byOnDevice: text("by_on_device"),
    note: text("note"),
    textId: text("text_id").notNull(),
    /** SHA-256 without what changes by itself. */
    compare: text("compare").notNull(),
    lines: whole("lines").notNull(),
    bytes: whole("bytes").notNull(),
    /** Lines that differ from the good version before. */
    added: whole("added").notNull(),
    removed: whole("removed").notNull(),
  },
  (version) => [
    uniqueIndex("config_versions_device").on(version.device, version.part, version.version),
    index("config_versions_time").on(version.device, version.part, version.takenAt, version.n),
    index("config_versions_good")
      .on(version.device, version.part, version.takenAt, version.n)
      .where(sql`state = 'good'`),
    uniqueIndex("config_versions_origin")
      .on(version.device, version.part, version.origin)
      .where(sql`origin is not null`),
    index("config_versions_job").on(version.jobId).where(sql`job_id is not null`),
    index("config_versions_text").on(version.textId),
    index("config_versions_suspect").on(version.n).where(sql`state = 'suspect'`),
    index("config_versions_seen").on(version.seenAt),
  ],
);

/** A single row: the key of the marks that secrets get in texts. */
export const configMarks = table("config_marks", {
  id: text("id").primaryKey(),
  mark: sealed("mark").notNull(),
});

/** Devices whose configuration is to be read soon: after a push, or because somebody said that it has changed. */
export const configDue = table(
  "config_due",
  {
    /** In lower case. */
    name: text("name").primaryKey(),
    dueT: whole("due_t").notNull(),
    /** Id of the API key on whose behalf. */
    caller: text("caller").notNull(),
    source: text("source", { enum: versionSources }).notNull(),
    causeJobId: text("cause_job_id"),
    who: text("who"),
    note: text("note"),
    tries: whole("tries").notNull().default(0),
  },
  (due) => [index("config_due_t").on(due.dueT)],
);

/** What a device is called from a version on, and its group: written by triggers, so that no version is without. */
export const configNames = table(
  "config_names",
  {
    device: whole("device").notNull(),
    /** The `n` of the first version with it. */
    since: whole("since").notNull(),
    shown: text("shown").notNull(),
    group: text("group_name"),
  },
  (name) => [primaryKey({ columns: [name.device, name.since] }), index("config_names_shown").on(name.shown)],
);

/** Git repositories that good versions are pushed to. */
export const configRemotes = table("config_remotes", {
  name: text("name").primaryKey(),
  /** As it was written: JSON. */
  own: jsonText("own").notNull(),
  /** Id of the API key that wrote it. */
  owner: text("owner").notNull(),
  changedAt: whole("changed_at").notNull(),
  /** A node pushes it no earlier. */
  nextT: whole("next_t").notNull().default(0),
  /** All versions up to this one are there. */
  pushedN: whole("pushed_n").notNull().default(0),
  pushedAt: whole("pushed_at"),
  /** The commit of the last push. */
  head: text("head"),
  failingSince: whole("failing_since"),
  failures: whole("failures").notNull().default(0),
  error: text("error"),
});

export type ConfigNameRow = Row<typeof configNames>;
export type ConfigRemoteRow = Row<typeof configRemotes>;
export type ConfigDeviceRow = Row<typeof configDevices>;
export type ConfigTextRow = Row<typeof configTexts>;
export type ConfigVersionRow = Row<typeof configVersions>;
export type ConfigDueRow = Row<typeof configDue>;
