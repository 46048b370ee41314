CREATE TABLE `inventory_devices` (
	`name` text PRIMARY KEY NOT NULL,
	`host_key` text NOT NULL,
	`group_name` text,
	`source` text,
	`changed_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`own` blob
);
--> statement-breakpoint
CREATE INDEX `inventory_devices_revision` ON `inventory_devices` (`revision`,`name`);--> statement-breakpoint
CREATE INDEX `inventory_devices_removed` ON `inventory_devices` (`changed_at`) WHERE own is null;--> statement-breakpoint
CREATE TABLE `inventory_groups` (
	`name` text PRIMARY KEY NOT NULL,
	`host_key` text NOT NULL,
	`group_name` text,
	`source` text,
	`changed_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`own` blob
);
--> statement-breakpoint
CREATE INDEX `inventory_groups_revision` ON `inventory_groups` (`revision`,`name`);--> statement-breakpoint
CREATE INDEX `inventory_groups_removed` ON `inventory_groups` (`changed_at`) WHERE own is null;--> statement-breakpoint
CREATE TABLE `inventory_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`purged` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `inventory_writes` (
	`revision` integer PRIMARY KEY NOT NULL,
	`token` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `inventory_state` (`id`, `revision`) VALUES (1, 0);
