/** What a form begins with. */

/** Most devices are asked over their command line; without this driver the first one there is. */
export const firstDriver = "netmiko";

/** The source of credentials where none is named. */
export const ownSource = "file";
