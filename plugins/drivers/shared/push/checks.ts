/** Arguments that are invalid for a push with checks. */

interface PushArgs {
  readonly dry_run?: unknown;
  readonly commit?: unknown;
  readonly confirm?: unknown;
  readonly cancel?: unknown;
  readonly revert_in?: unknown;
}

type Fault = { path: string; message: string };

/** A dry run leaves nothing to check, and a commit must not have two confirmations. */
export function withoutChecks({ dry_run, commit, confirm, cancel, revert_in }: PushArgs): Fault[] {
  const fault = (name: string, message: string) => ({ path: `driver_args.${name}`, message });
  const itself = "cannot be used with checks: they confirm or undo the push";
  return [
    ...(dry_run === true ? [fault("dry_run", "cannot be used with checks: nothing is pushed")] : []),
    ...(commit === false ? [fault("commit", "cannot be false with checks: nothing would be committed")] : []),
    ...(isGiven(confirm) ? [fault("confirm", itself)] : []),
    ...(isGiven(cancel) ? [fault("cancel", itself)] : []),
    ...(isGiven(revert_in) ? [fault("revert_in", itself)] : []),
  ];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
