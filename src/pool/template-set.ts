/** Arguments to select a template from a set. */

/** Without a template, the set selects one by platform and command. */
export function templateSetArgs(
  args: Record<string, unknown>,
  field: string | undefined,
  platform: string,
  command: string,
): Record<string, unknown> {
  return { ...(field === undefined ? {} : { [field]: platform }), command, ...args };
}
