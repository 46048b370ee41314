ALTER TABLE `jobs` ADD `kept` blob;--> statement-breakpoint
ALTER TABLE `bulks` ADD `kept` blob;--> statement-breakpoint
DROP INDEX `jobs_retry_until`;--> statement-breakpoint
ALTER TABLE `jobs` DROP COLUMN `retry_until_t`;--> statement-breakpoint
CREATE INDEX `jobs_retry_payload` ON `jobs` (`keep_t`) WHERE retry_payload is not null;
