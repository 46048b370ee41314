/** What a device is taken for where nobody says it: the only place of the client that names a driver. */
export const defaultDriver = "netmiko";

/** The device is asked what it is. */
export const defaultDeviceType = "autodetect";
