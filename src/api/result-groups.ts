/** Results of a bulk that are read together, as in GET /bulk/{name}/results. */

/** A device of a group, by the id of its job. */
export interface GroupedDevice {
  id: string;
  /** Name in the inventory. */
  device?: string;
  host: string;
}

/** Devices whose outputs of one command are equal. */
export interface OutputGroup {
  command: string;
  /** Of the output as UTF-8, without white space at its end; hexadecimal. */
  sha256: string;
  /** Number of devices; `devices` are the first of them. */
  count: number;
  devices: GroupedDevice[];
  /** The output, or its beginning. */
  output: string;
  /** The output is longer: the record of a job has all of it. */
  cut?: true;
  /** The parsed output, as JSON text in `output`. */
  parsed?: true;
}

/** Devices whose jobs failed with the same type of error. */
export interface FailureGroup {
  error_type: string;
  /** Of the first device. */
  message: string;
  count: number;
  devices: GroupedDevice[];
}

export interface ResultGroups {
  /** Number of jobs with a result that were read. */
  jobs: number;
  /** Number of jobs without a result: they wait, run or were cancelled. */
  without_result: number;
  /** The commands, in the order of the first job. */
  commands: string[];
  /** By command, then the most devices first. */
  groups: OutputGroup[];
  failures: FailureGroup[];
  /** Number of groups that `limit` leaves out. */
  more_groups: number;
  /** There are more different outputs than are compared: the numbers are lower bounds. */
  incomplete?: true;
}

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
