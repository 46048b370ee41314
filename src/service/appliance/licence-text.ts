/** The licences of all parts of the compiled program: the build puts them here. From source there are none. */
export const licenceText: string | undefined = undefined;
