/** Arguments of a push that make no sense between checks. */

interface PushArgs {
  readonly dry_run?: unknown;
  readonly commit?: unknown;
  readonly confirm?: unknown;
  readonly revert_in?: unknown;
}

type Fault = { path: string; message: string };

/** What pushes nothing leaves nothing to look at, and a commit has one who confirms it. */
export function withoutChecks({ dry_run, commit, confirm, revert_in }: PushArgs): Fault[] {
  const fault = (name: string, message: string) => ({ path: `driver_args.${name}`, message });
  const itself = "has no meaning with checks: they confirm the push, or take it back";
  return [
    ...(dry_run === true ? [fault("dry_run", "has no meaning with checks: nothing is pushed")] : []),
    ...(commit === false
      ? [fault("commit", "false has no meaning with checks: nothing comes into force")]
      : []),
    ...(isGiven(confirm) ? [fault("confirm", itself)] : []),
    ...(isGiven(revert_in) ? [fault("revert_in", itself)] : []),
  ];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
