/** The ledger of the service: its checkpoints and where they go, by the settings. */
import type { Config } from "../../config/config.ts";
import type { Remotes } from "../../history/remotes/port.ts";
import { type CheckpointOptions, createCheckpoints } from "../../ledger/checkpoints.ts";
import { createLedger } from "../../ledger/ledger.ts";
import { placesOf } from "../../ledger/places.ts";

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

export function assembleLedger(
  { values }: Config,
  options: Pick<CheckpointOptions, "store" | "log" | "isReady" | "onSigned"> & Pick<Remotes, "keep">,
) {
  const { store, keep } = options;
  const remote = values.ledger_checkpoint_remote;
  const places = placesOf({
    folder: values.ledger_checkpoint_folder,
    syslog: values.ledger_checkpoint_syslog,
    git: remote === undefined ? undefined : (branch, record) => keep(remote, branch, record),
  });
  const checkpoints = createCheckpoints({
    ...options,
    places,
    everyMs: values.ledger_checkpoint_minutes * minuteMs,
    keptMs: values.ledger_days === 0 ? undefined : values.ledger_days * dayMs,
  });
  function onSigned(): void {
    checkpoints.wake();
    options.onSigned();
  }
  return { checkpoints, ledger: createLedger({ store, places, onSigned }) };
}
