CREATE TABLE `bulks` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`created_at` integer NOT NULL,
	`caller` text NOT NULL,
	`driver` text NOT NULL,
	`operation` text NOT NULL,
	`label` text,
	`ticket` text,
	`note` blob,
	`tags` text,
	`total` integer NOT NULL,
	`concurrency` integer,
	`max_failures` integer,
	`bulk_order` text,
	`retry_of` text,
	`stopped_because` text,
	`stopped_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bulks_id_unique` ON `bulks` (`id`);--> statement-breakpoint
ALTER TABLE `jobs` ADD `label` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `ticket` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `tags` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `error_type` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `not_before` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `due_t` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `retry_of` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `retry_payload` blob;--> statement-breakpoint
ALTER TABLE `jobs` ADD `retry_until_t` integer;--> statement-breakpoint
CREATE INDEX `jobs_bulk_state` ON `jobs` (`bulk_id`,`status`,`error_type`,`ended_at`) WHERE bulk_id is not null;--> statement-breakpoint
CREATE INDEX `jobs_bulk_warned` ON `jobs` (`bulk_id`) WHERE bulk_id is not null and warnings is not null;--> statement-breakpoint
CREATE INDEX `jobs_label` ON `jobs` (`label`,`seq`) WHERE label is not null;--> statement-breakpoint
CREATE INDEX `jobs_ticket` ON `jobs` (`ticket`,`seq`) WHERE ticket is not null;--> statement-breakpoint
CREATE INDEX `jobs_tagged` ON `jobs` (`seq`,`tags`) WHERE tags is not null;--> statement-breakpoint
CREATE INDEX `jobs_error` ON `jobs` (`error_type`,`seq`) WHERE error_type is not null;--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`due_t`) WHERE due_t is not null;--> statement-breakpoint
CREATE INDEX `jobs_retry` ON `jobs` (`retry_of`) WHERE retry_of is not null;--> statement-breakpoint
CREATE INDEX `jobs_retry_until` ON `jobs` (`retry_until_t`) WHERE retry_until_t is not null;--> statement-breakpoint
INSERT INTO `bulks` (`id`, `created_at`, `caller`, `driver`, `operation`, `total`)
SELECT `bulk_id`, min(`created_at`), min(`caller`), min(`driver`), min(`operation`), count(*)
FROM `jobs` WHERE bulk_id is not null GROUP BY `bulk_id` ORDER BY min(`seq`);
