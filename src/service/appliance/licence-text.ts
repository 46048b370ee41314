/** The licences of all parts of the compiled program, set by the build. From source there are none. */
export const licenceText: string | undefined = undefined;
