from typing import Dict, List


def count_pairs(nums: List[int], target: int) -> int:
    """number of pairs i < j with nums[i] + nums[j] == target"""
    seen: Dict[int, int] = {}
    ans = 0
    for x in nums:
        ans += seen.get(target - x, 0)
        seen[x] = seen.get(x, 0) + 1
    return ans
