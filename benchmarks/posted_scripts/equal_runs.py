from typing import List


def longest_equal_run(a: List[int]) -> int:
    if not a:
        return 0
    best = 1
    current = 1
    for i in range(1, len(a)):
        if a[i] == a[i - 1]:
            current += 1
        else:
            current = 1
        best = max(best, current)
    return best


def longest_increasing_run(nums: List[int]) -> int:
    # "continuous" increasing subsequence
    ans = anchor = 0
    for i in range(len(nums)):
        if i and nums[i - 1] >= nums[i]:
            anchor = i
        ans = max(ans, i - anchor + 1)
    return ans
