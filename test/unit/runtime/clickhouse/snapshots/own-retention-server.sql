SELECT 1 AS one FROM `sandpiper`.events_data WHERE day <= {newest:Int32} AND day <= transform(site_id, {sites:Array(String)}, {lastDays:Array(Int32)}, {last:Int32}) AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment) LIMIT 1;
-- parameters: {"newest":20526,"sites":["kept.test","it's {a:site}"],"lastDays":"[-1000000,20525]","last":20526,"node":"00112233aabbccdd","except":"[1700000000000,1700000000001]"}
-- settings: {}

DELETE FROM `sandpiper`.events_data  WHERE day <= {newest:Int32} AND day <= transform(site_id, {sites:Array(String)}, {lastDays:Array(Int32)}, {last:Int32}) AND node = {node:String} AND NOT has({except:Array(UInt64)}, segment);
-- parameters: {"newest":20526,"sites":["kept.test","it's {a:site}"],"lastDays":"[-1000000,20525]","last":20526,"node":"00112233aabbccdd","except":"[1700000000000,1700000000001]"}
-- settings: {"lightweight_deletes_sync":2}

ALTER TABLE `sandpiper`.events_data  APPLY DELETED MASK;
-- parameters: {}
-- settings: {"mutations_sync":0}
