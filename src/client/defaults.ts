/** Defaults of a device: the only place in the client that names a driver. */
export const defaultDriver = "netmiko";

/** Detects the platform on the device. */
export const defaultDeviceType = "autodetect";
