/** The longest timer of a confirmed commit that is asked for. */
export const mostRevertSeconds = 65_535;
