SELECT 1 AS one FROM `sandpiper`.events_all WHERE day <= {last:Int32} AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment) LIMIT 1;
-- parameters: {"last":20526,"node":"00112233aabbccdd","except":"[1700000000000,1700000000001]"}
-- settings: {"load_balancing":"in_order","prefer_localhost_replica":0,"max_parallel_replicas":1,"distributed_product_mode":"global"}

DELETE FROM `sandpiper`.events_data ON CLUSTER `web` WHERE day <= {last:Int32} AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment);
-- parameters: {"last":20526,"node":"00112233aabbccdd","except":"[1700000000000,1700000000001]"}
-- settings: {"distributed_ddl_output_mode":"throw","distributed_ddl_task_timeout":180,"alter_sync":2,"lightweight_deletes_sync":2}

ALTER TABLE `sandpiper`.events_data ON CLUSTER `web` APPLY DELETED MASK;
-- parameters: {}
-- settings: {"distributed_ddl_output_mode":"throw","distributed_ddl_task_timeout":180,"alter_sync":2,"mutations_sync":0}
