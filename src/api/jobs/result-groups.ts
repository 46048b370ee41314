/** Results of a bulk that are read together, as in GET /bulk/{name}/results. */
import * as v from "valibot";
import { described, integer, named, text, texts } from "../schema.ts";

export const resultGroupLimits = {
  usualGroups: 50,
  mostGroups: 200,
  usualDevices: 20,
  mostDevices: 1_000,
  /** Different outputs that are told apart; each costs a few hundred bytes. */
  mostDifferent: 50_000,
  /** Devices named in all groups together. */
  mostNamed: 100_000,
  mostCommands: 200,
  outputChars: 16_384,
} as const;

const groupedDevice = v.object({
  id: described(text, "Id of the job"),
  device: v.exactOptional(described(text, "Name in the inventory")),
  host: text,
});
export type GroupedDevice = v.InferOutput<typeof groupedDevice>;

const grouped = {
  count: described(integer, "Number of devices"),
  devices: described(v.array(groupedDevice), "The first of them"),
};

const outputGroup = v.object({
  command: text,
  sha256: described(text, "Of the output as UTF-8, without white space at its end"),
  ...grouped,
  output: described(text, "At most 16,384 characters; a parsed output is JSON text"),
  cut: v.exactOptional(described(v.literal(true), "The output is longer: the record of a job has all of it")),
  parsed: v.exactOptional(described(v.literal(true), "`output` is the JSON of a parsed output")),
});
/** Devices whose outputs of one command are equal. */
export type OutputGroup = v.InferOutput<typeof outputGroup>;

const failureGroup = v.object({
  error_type: text,
  message: described(text, "Of the first device"),
  ...grouped,
});
/** Devices whose jobs failed with the same type of error. */
export type FailureGroup = v.InferOutput<typeof failureGroup>;

export const resultGroups = named(
  "ResultGroups",
  v.object({
    jobs: described(integer, "Jobs with a result"),
    without_result: described(integer, "Jobs that wait, run or were cancelled"),
    commands: described(texts, "In the order of the first job"),
    groups: described(v.array(outputGroup), "By command, then the most devices first"),
    failures: v.array(failureGroup),
    more_groups: described(integer, "Groups that `limit` leaves out"),
    incomplete: v.exactOptional(
      described(v.literal(true), "Too many different outputs: numbers are lower bounds"),
    ),
  }),
);
export type ResultGroups = v.InferOutput<typeof resultGroups>;
